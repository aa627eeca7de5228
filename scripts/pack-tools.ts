import './contract/tools/command.js';
