// The sticker's page.
document.getElementById("print").addEventListener("click", () => print());
