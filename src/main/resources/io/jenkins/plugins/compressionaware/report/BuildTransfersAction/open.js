// A click anywhere in a row opens or closes its details; its button does the same for the keyboard.
document.querySelectorAll(".artifact-transfers-open").forEach((button) => {
  const row = button.closest("tr");
  row.classList.add("artifact-transfers-row");
  row.addEventListener("click", () => {
    const more = row.nextElementSibling;
    more.hidden = !more.hidden;
    button.setAttribute("aria-expanded", !more.hidden);
  });
});
