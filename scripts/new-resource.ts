import './new-resource/command.js';
