import '../packages/service-tools/src/new-resource/new-resource-command.js';
