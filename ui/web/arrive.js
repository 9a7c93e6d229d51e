// A new answer is read from its question on, wherever the page was scrolled to before.
const QUIET_MS = 1200
const LONGEST_MS = 8000
const OWN = ["wheel", "touchstart", "pointerdown", "keydown"]
const arrived = new WeakMap()

export default function ({ data, parentElement }) {
  if (arrived.get(parentElement) === data.at) return
  arrived.set(parentElement, data.at)
  if (!parentElement.querySelector(".lectern-none")) {
    parentElement.append(Object.assign(document.createElement("div"), { className: "lectern-none" }))
  }
  hold()
}

// Streamlit keeps a page that grows at its end, so the place is held until it has stopped growing
// or the reader takes over.
function hold() {
  const main = document.querySelector("main")
  const began = performance.now()
  let until = began + QUIET_MS
  let height = 0
  let place = 0
  let taken = false
  const take = () => (taken = true)
  for (const name of OWN) document.addEventListener(name, take, { once: true, capture: true })
  const step = () => {
    const now = performance.now()
    // Only somebody else scrolls up, unless the page became shorter.
    if (main.scrollTop < place - 2 && main.scrollHeight >= height) taken = true
    if (main.scrollHeight !== height) until = Math.min(now + QUIET_MS, began + LONGEST_MS)
    height = main.scrollHeight
    if (taken || now > until) {
      for (const name of OWN) document.removeEventListener(name, take, { capture: true })
      return
    }
    const questions = main.querySelectorAll("[data-testid=stChatMessage]:has([data-testid=stText])")
    questions[questions.length - 1]?.scrollIntoView({ block: "start" })
    place = main.scrollTop
    requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
}
