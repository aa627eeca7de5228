import './contract/dev/command.js';
