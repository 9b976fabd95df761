// Gives JSON's functions their own stack frames: a CPU profile would count their time for the callers.
const { parse, stringify } = JSON;
JSON.parse = function parseJson(text, reviver) {
  return parse(text, reviver);
};
JSON.stringify = function stringifyJson(value, replacer, space) {
  return stringify(value, replacer, space);
};
