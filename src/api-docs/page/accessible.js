// Mends what axe-core finds in Swagger UI.

/** Attributes by selector; null removes one. */
const mended = {
  // Levels below the title (WCAG 2.2, 1.3.1).
  '.opblock-tag, .models h4, .modal-ux-header h3': { 'aria-level': '2' },
  '.opblock-section-header h4, .auth-container :is(h4, h6)': { 'aria-level': '3' },
  '.responses-inner :is(h4, h5):not(.btn *), .model-example h5': { 'aria-level': '4' },
  // Not a landmark.
  '.responses-table[role]': { role: null },
  '.information-container': { role: 'region', 'aria-label': 'About' },
  '.scheme-container': { role: 'region', 'aria-label': 'Server and token' },
  '.modal-ux': { role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Token' },
  // Lets keys scroll it.
  '.microlight': { tabindex: '0' },
  '.close-modal': { 'aria-label': 'Close' },
  // Its text says enough.
  '.auth-btn-wrapper button': { 'aria-label': null },
  '.model-box-control': { 'aria-label': (toggle) => (toggle.textContent.trim() === '' ? 'Details' : null) },
  // Tabs of samples are clickable headings.
  '.request-snippets .btn': {
    role: 'button',
    tabindex: '0',
    'aria-pressed': (tab) => String(tab.classList.contains('active')),
  },
  '[data-param-name] :is(input, select)': {
    'aria-label': (field) => field.closest('[data-param-name]').dataset.paramName,
  },
  '.examples-select-element': { 'aria-label': 'Example' },
  '.body-param__text': { 'aria-label': 'Request body' },
};

const mend = () => {
  for (const [selector, attributes] of Object.entries(mended)) {
    for (const element of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        const wanted = typeof value === 'function' ? value(element) : value;
        if (wanted === element.getAttribute(name)) continue;
        if (wanted === null) element.removeAttribute(name);
        else element.setAttribute(name, wanted);
      }
    }
  }
};

// React may set these again.
new MutationObserver(mend).observe(document.body, {
  subtree: true,
  childList: true,
  attributeFilter: ['aria-label', 'class', 'role'],
});

// Keys do not press a role="button" (HTML, "activation behavior").
document.addEventListener('keydown', (event) => {
  if (!['Enter', ' '].includes(event.key) || !event.target.matches('.request-snippets .btn')) return;
  event.preventDefault();
  event.target.click();
});
