// Gives JSON's functions frames of their own: a CPU profile counts the time of V8's to whoever calls them.
const { parse, stringify } = JSON;
JSON.parse = function parseJson(text, reviver) {
  return parse(text, reviver);
};
JSON.stringify = function stringifyJson(value, replacer, space) {
  return stringify(value, replacer, space);
};
