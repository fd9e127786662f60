// Elements of the page. Text is only ever set as text, never as markup.

/** Builds an element: `element('p', { class: 'soft', onclick: send }, 'text', child)`. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    if (attribute.startsWith('on')) made.addEventListener(attribute.slice(2), value);
    else made.setAttribute(attribute, value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Text in which `code` between backticks is shown as code. */
export function prose(text = '') {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}

/** A section with a heading. Undefined without content. */
export function section(title, ...content) {
  const shown = content.filter((child) => child !== undefined);
  return shown.length > 0 ? element('section', {}, element('h3', {}, title), ...shown) : undefined;
}

/** A block of code with a button that copies it. `text` is read when the button is pressed. */
export function codeBlock(text) {
  const code = element('pre', { tabindex: '0' }, text);
  const copy = element('button', { type: 'button', class: 'copy' }, 'Copy');
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent);
    copy.textContent = 'Copied';
  });
  return { code, block: element('div', { class: 'code' }, code, copy) };
}
