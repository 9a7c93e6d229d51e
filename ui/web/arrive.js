// A new answer is read from its question on, wherever the page was scrolled to before.
const HOLD_MS = 1200
const arrived = new WeakMap()

export default function ({ data, parentElement }) {
  if (arrived.get(parentElement) === data.at) return
  arrived.set(parentElement, data.at)
  if (!parentElement.querySelector(".lectern-none")) {
    parentElement.append(Object.assign(document.createElement("div"), { className: "lectern-none" }))
  }
  // Streamlit keeps a page that grows at its end, so the place is held until it has grown.
  const until = performance.now() + HOLD_MS
  let moved = false
  const stop = () => (moved = true)
  const own = ["wheel", "touchstart", "pointerdown", "keydown"]
  for (const name of own) document.addEventListener(name, stop, { once: true, capture: true })
  const hold = () => {
    const questions = document.querySelectorAll("[data-testid=stChatMessage]:has([data-testid=stText])")
    if (moved || performance.now() > until) {
      for (const name of own) document.removeEventListener(name, stop, { capture: true })
      return
    }
    questions[questions.length - 1]?.scrollIntoView({ block: "start" })
    requestAnimationFrame(hold)
  }
  requestAnimationFrame(hold)
}
