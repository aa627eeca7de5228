import '../packages/service-tools/src/stored/check-stored-command.js';
