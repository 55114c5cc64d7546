#!/usr/bin/env node
// This file uses old syntax, so that an old Node version can run it and print the required version instead of a syntax
// error.
"use strict";

var wanted = require("./package.json")
  .engines.node.replace(/[^0-9.]/g, "")
  .split(".");
var found = process.versions.node.split(".");
var isOld = +found[0] < +wanted[0] || (+found[0] === +wanted[0] && +found[1] < +wanted[1]);

if (isOld) {
  process.stderr.write(
    "Tollgate needs Node " +
      wanted.join(".") +
      " or newer, and this is " +
      process.versions.node +
      ". Install a newer one.\n",
  );
  process.exitCode = 1;
} else {
  // In the repository this file is in the folder `cli`, next to `src`. In the package it is in the root folder, above
  // `cli/src`.
  var isPackage = require("fs").existsSync(require("path").join(__dirname, "cli/src/start.js"));
  void import(isPackage ? "./cli/src/start.js" : "./src/start.ts");
}
