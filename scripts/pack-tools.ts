import './pack-tools/command.js';
