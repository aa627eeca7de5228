import './contract/mock/command.js';
