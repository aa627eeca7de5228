// The start of the docs page: Swagger UI over the document, with what it leaves out.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();

/** Where the page is, without a slash at the end. It is true behind any proxy, which need not tell the server. */
const here = new URL('.', location.href).href.replace(/\/$/, '');
const serverHere = (server) =>
  server.url.startsWith('/') ? { ...server, url: (here + server.url).replace(/\/$/, '') } : server;
const withServersHere = (update) => (contract) =>
  update({ ...contract, ...(contract.servers && { servers: contract.servers.map(serverHere) }) });

/** One server is no choice: its address in place of a list of one, which has no label either. */
const serverShown = (List, { React, specSelectors }) =>
  function Servers(props) {
    const servers = specSelectors.servers();
    if (servers.size > 1) return React.createElement(List, props);
    return React.createElement('p', { className: 'server' }, servers.getIn([0, 'url']));
  };

/** The name of an operation is within the button that opens it, where a link must not be (HTML, "button"). */
const unlinked =
  (_Link, { React }) =>
  ({ text }) =>
    React.createElement('span', {}, text);

/** The digits of a number that no double holds stand beside it: src/front-door/page-document.ts. */
const exactSchema =
  (Model, { React }) =>
  (props) => {
    const exact = props.schema.map((value, name) => props.schema.get(`x-exact-${name}`) ?? value);
    return React.createElement(Model, { ...props, schema: exact });
  };

/** The same for a parameter, of which Swagger UI hands over one keyword after the other, `x-exact-…` included. */
const exactKeyword =
  (Keyword, { React }) =>
  ({ xKey, xVal }) => {
    if (Number.isInteger(xVal) && !Number.isSafeInteger(xVal)) return null;
    return React.createElement(Keyword, { xKey: xKey.replace(/^x-exact-/, ''), xVal });
  };

SwaggerUIBundle({
  url: 'docs/document.json',
  dom_id: '#docs',
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  // The bounds of parameters.
  showCommonExtensions: true,
  tryItOutEnabled: true,
  // How to send the same request without this page: samples.js.
  requestSnippetsEnabled: true,
  requestSnippets: sampleTabs,
  // curl ends the answer with a newline, so that the shell's prompt stands on a line of its own.
  requestInterceptor: (request) => Object.assign(request, { curlOptions: ['-w', '\\n'] }),
  // The numbers of the other themes are too dark on their ground.
  syntaxHighlight: { theme: 'monokai' },
  // A token is a secret: it is gone when the page is.
  persistAuthorization: false,
  // No badge of a validator on another host.
  validatorUrl: null,
  plugins: [
    samplesPlugin,
    () => ({
      statePlugins: { spec: { wrapActions: { updateJsonSpec: withServersHere } } },
      wrapComponents: {
        ServersContainer: serverShown,
        DeepLink: unlinked,
        PrimitiveModel: exactSchema,
        ParameterExt: exactKeyword,
      },
    }),
  ],
});
