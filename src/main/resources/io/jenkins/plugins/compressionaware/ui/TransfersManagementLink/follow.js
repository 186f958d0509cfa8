// Shows what runs now as it goes on, unless somebody is in that part with the keyboard or cannot see the page.
(function () {
  const part = document.getElementById("artifact-transfers-now");
  const period = 5000;

  function update() {
    if (document.hidden || part.contains(document.activeElement)) {
      later();
      return;
    }
    fetch(part.dataset.url, { cache: "no-store" })
      .then((response) => (response.ok ? response.text() : Promise.reject(new Error(response.status))))
      .then((html) => {
        if (!part.contains(document.activeElement)) {
          part.innerHTML = html;
        }
        later();
      })
      // such as a restart, or a session that is over: the page stays as it is
      .catch(later);
  }

  function later() {
    setTimeout(update, period);
  }

  later();
})();
