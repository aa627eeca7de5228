// Corrects what axe-core finds wrong with Swagger UI.

/** The attributes that elements of a selector must have. Null removes an attribute. */
const mended = {
  // These headings are below the title (WCAG 2.2, 1.3.1).
  '.opblock-tag, .models h4, .modal-ux-header h3': { 'aria-level': '2' },
  '.opblock-section-header h4, .auth-container :is(h4, h6)': { 'aria-level': '3' },
  '.responses-inner :is(h4, h5):not(.btn *), .model-example h5': { 'aria-level': '4' },
  // The table is not a landmark.
  '.responses-table[role]': { role: null },
  '.information-container': { role: 'region', 'aria-label': 'About' },
  '.scheme-container': { role: 'region', 'aria-label': 'Server and token' },
  '.modal-ux': { role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Token' },
  // An element that has the focus can be scrolled by keys.
  '.microlight': { tabindex: '0' },
  '.close-modal': { 'aria-label': 'Close' },
  // The button's text says enough.
  '.auth-btn-wrapper button': { 'aria-label': null },
  '.model-box-control': { 'aria-label': (toggle) => (toggle.textContent.trim() === '' ? 'Details' : null) },
  // The tabs of commands are headings that one can click, so they are made buttons.
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

// React may change the elements at any time, so they are corrected after each change.
new MutationObserver(mend).observe(document.body, {
  subtree: true,
  childList: true,
  attributeFilter: ['aria-label', 'class', 'role'],
});

// A key does not press an element because it has role="button" (HTML, "activation behavior").
document.addEventListener('keydown', (event) => {
  if (!['Enter', ' '].includes(event.key) || !event.target.matches('.request-snippets .btn')) return;
  event.preventDefault();
  event.target.click();
});
