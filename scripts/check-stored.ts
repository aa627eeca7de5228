import './contract/stored/command.js';
