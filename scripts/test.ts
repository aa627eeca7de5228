import './test/command.js';
