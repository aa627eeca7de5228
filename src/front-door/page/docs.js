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

SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // A token is a secret: it is gone when the page is.
  persistAuthorization: false,
  // No badge of a validator on another host.
  validatorUrl: null,
  plugins: [() => ({ wrapComponents: { ServersContainer: serverShown } })],
});
