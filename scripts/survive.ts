import './lab/survive/command.js';
