// Updates the running transfers every five seconds, unless the keyboard focus is among them or the page is hidden.
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
      // for example after a restart, or when the session has expired: keeps the last state
      .catch(later);
  }

  function later() {
    setTimeout(update, period);
  }

  later();
})();
