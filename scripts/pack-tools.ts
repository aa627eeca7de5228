import './pack-tools/pack-tools-command.js';
