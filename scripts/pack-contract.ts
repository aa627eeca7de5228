import './pack/command.js';
