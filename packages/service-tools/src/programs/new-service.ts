#!/usr/bin/env node
import '../new-service/new-service-command.js';
