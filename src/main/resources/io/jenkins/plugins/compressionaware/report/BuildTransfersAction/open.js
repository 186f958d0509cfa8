// Opens or closes the details of a row on a click anywhere in the row. The row's button makes them accessible by keyboard.
document.querySelectorAll(".artifact-transfers-open").forEach((button) => {
  const row = button.closest("tr");
  row.classList.add("artifact-transfers-row");
  row.addEventListener("click", () => {
    const more = row.nextElementSibling;
    more.hidden = !more.hidden;
    button.setAttribute("aria-expanded", !more.hidden);
  });
});
