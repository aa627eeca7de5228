import './stored/command.js';
