// The start of the docs page: Swagger UI over the document beside it.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();

/** One server is no choice: its address in place of a list of one, which has no label either. */
const serverShown = (List, { React, specSelectors }) =>
  function Servers(props) {
    const servers = specSelectors.servers();
    if (servers.size > 1) return React.createElement(List, props);
    return React.createElement('p', { className: 'server' }, servers.getIn([0, 'url']));
  };

/** Some fields have words in front of them, but no label that a screen reader would tell. */
const labelled =
  (selector, label) =>
  (Field, { React }) =>
    function Labelled(props) {
      const setLabel = (node) => node?.querySelector(selector)?.setAttribute('aria-label', label);
      return React.createElement('div', { ref: setLabel }, React.createElement(Field, props));
    };

/** The name of an operation is within the button that opens it, where a link must not be (HTML, "button"). */
const unlinked =
  (_Link, { React }) =>
  ({ text }) =>
    React.createElement('span', {}, text);

SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // The numbers of the other themes are too dark on their ground.
  syntaxHighlight: { theme: 'monokai' },
  // A token is a secret: it is gone when the page is.
  persistAuthorization: false,
  // No badge of a validator on another host.
  validatorUrl: null,
  plugins: [
    () => ({
      wrapComponents: {
        ServersContainer: serverShown,
        ExamplesSelect: labelled('select', 'Example'),
        RequestBodyEditor: labelled('textarea', 'Request body'),
        DeepLink: unlinked,
      },
    }),
  ],
});
