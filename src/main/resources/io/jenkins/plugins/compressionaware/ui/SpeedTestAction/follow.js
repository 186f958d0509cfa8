// Shows the rows of a running trial as they come.
(function () {
  const result = document.getElementById("artifact-transfer-result");
  const status = document.getElementById("artifact-transfer-status");

  function show() {
    const trial = result.querySelector("[data-status]");
    // none after a restart
    say(trial === null ? result.dataset.lost : trial.dataset.status);
    if (trial !== null && trial.dataset.running === "true") {
      setTimeout(update, 500);
    }
  }

  function say(text) {
    if (status.textContent !== text) {
      status.textContent = text;
    }
  }

  function update() {
    fetch(result.dataset.url, { cache: "no-store" })
      .then((response) => (response.ok ? response.text() : Promise.reject(new Error(response.status))))
      .then((html) => {
        result.innerHTML = html;
        show();
      })
      // such as a restart, or a session that is over
      .catch(() => {
        say(result.dataset.lost);
        setTimeout(update, 5000);
      });
  }

  if (result.querySelector("[data-status]") !== null) {
    show();
  }
})();
