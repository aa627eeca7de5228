// Starts Swagger UI, and fills its gaps.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();

/** Correct behind any proxy. */
const here = new URL('.', location.href).href.replace(/\/$/, '');
const serverHere = (server) =>
  server.url.startsWith('/') ? { ...server, url: (here + server.url).replace(/\/$/, '') } : server;
const withServersHere = (update) => (contract) =>
  update({ ...contract, ...(contract.servers && { servers: contract.servers.map(serverHere) }) });

/** Swagger UI does not label the list. */
const serverShown = (List, { React, specSelectors }) =>
  function Servers(props) {
    const servers = specSelectors.servers();
    if (servers.size > 1) return React.createElement(List, props);
    return React.createElement('p', { className: 'server' }, servers.getIn([0, 'url']));
  };

/** A button must not contain a link (HTML, "button"). */
const unlinked =
  (_Link, { React }) =>
  ({ text }) =>
    React.createElement('span', {}, text);

/** The exact digits of large numbers (page-document.ts). */
const exactSchema =
  (Model, { React }) =>
  (props) => {
    const exact = props.schema.map((value, name) => props.schema.get(`x-exact-${name}`) ?? value);
    return React.createElement(Model, { ...props, schema: exact });
  };

/** For parameters: Swagger UI passes one keyword at a time. */
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
  // Shows parameters' bounds.
  showCommonExtensions: true,
  tryItOutEnabled: true,
  requestSnippetsEnabled: true,
  requestSnippets: sampleTabs,
  // curl's final newline.
  requestInterceptor: (request) => Object.assign(request, { curlOptions: ['-w', '\\n'] }),
  // Other themes lack contrast.
  syntaxHighlight: { theme: 'monokai' },
  // The token is a secret.
  persistAuthorization: false,
  // No validator badge from another host.
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
