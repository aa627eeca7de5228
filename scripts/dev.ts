import '../packages/service-tools/src/dev/dev-command.js';
