// Shows the rows of a running trial as they come.
(function () {
  const result = document.getElementById("artifact-transfer-result");
  const status = document.getElementById("artifact-transfer-status");

  function show() {
    const trial = result.querySelector("[data-status]");
    if (trial === null) {
      return;
    }
    if (status.textContent !== trial.dataset.status) {
      status.textContent = trial.dataset.status;
    }
    if (trial.dataset.running === "true") {
      setTimeout(update, 500);
    }
  }

  function update() {
    fetch(result.dataset.url, { cache: "no-store" })
      .then((response) => (response.ok ? response.text() : Promise.reject(response.status)))
      .then((html) => {
        result.innerHTML = html;
        show();
      });
  }

  show();
})();
