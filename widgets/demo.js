// @ts-check
// The shop's own script: signs the sample customer in and out. A real shop has a server that signs the identity of
// whoever is signed in there.

const WIDGETS = "transparency-app, svc-overview, svc-consents, svc-rights-management, svc-privacy, svc-data-map";
const button = document.querySelector("#sign-in");

function draw() {
  if (!(button instanceof HTMLButtonElement)) return;
  const isIn = sessionStorage.getItem("customer") === "yes";
  button.textContent = (isIn ? button.dataset.out : button.dataset.in) ?? "";
  for (const widget of document.querySelectorAll(WIDGETS)) {
    if (isIn && button.dataset.identityUrl) widget.setAttribute("data-identity-url", button.dataset.identityUrl);
    else widget.removeAttribute("data-identity-url");
  }
}

button?.addEventListener("click", () => {
  sessionStorage.setItem("customer", sessionStorage.getItem("customer") === "yes" ? "no" : "yes");
  draw();
});
if (sessionStorage.getItem("customer") === "yes") draw();
