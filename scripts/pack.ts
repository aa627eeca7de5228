import './pack/pack-packages-command.js';
