// A button that copies the text it was given, and says so.
export default function ({ data, parentElement }) {
  let button = parentElement.querySelector("button")
  if (!button) {
    button = document.createElement("button")
    button.type = "button"
    button.className = "lectern-copy"
    button.textContent = "Copy"
    button.setAttribute("aria-live", "polite")
    parentElement.append(button)
  }
  button.onclick = async () => {
    await write(data.text)
    button.textContent = "Copied"
    setTimeout(() => (button.textContent = "Copy"), 2000)
  }
}

// Browsers give the clipboard only to pages on this machine or behind https.
async function write(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement("textarea")
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand("copy")
  area.remove()
}
