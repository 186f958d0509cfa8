// Shows the rows of a running test as they are measured.
(function () {
  const result = document.getElementById("artifact-transfer-result");
  const status = document.getElementById("artifact-transfer-status");

  function show() {
    const state = result.querySelector("[data-status]");
    // missing after a restart
    report(state === null ? result.dataset.lost : state.dataset.status);
    if (state !== null && state.dataset.running === "true") {
      setTimeout(update, 500);
    }
  }

  function report(text) {
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
      // for example after a restart, or when the session has expired
      .catch(() => {
        report(result.dataset.lost);
        setTimeout(update, 5000);
      });
  }

  if (result.querySelector("[data-status]") !== null) {
    show();
  }
})();
