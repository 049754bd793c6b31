/** The words in which programs say that an environment variable, or a variable of make, is not set. */
export const unsetVariableTexts: readonly RegExp[] = [
  // `label: the variable X is not set`, `line 3: X: unbound variable`, `Makefile:3: *** X is not set.`; not `X: undefined`,
  // with which a program lists its settings.
  /^(?:\S+:\d+: \*\*\* |(?<by>[\w.+/-]+): )?(?:(?:line )?\d+: )?(?:\w*[Ee]rror: )?(?:(?:[Tt]he )?(?:[Rr]equired )?(?:[Ee]nvironment |[Ee]nv |[Ss]hell )?[Vv]ar(?:iable)? )?["'`$]*(?<thing>[A-Z][A-Z0-9_]{2,})["'`]?(?: environment variable| variable)?(?: (?:is |was )?(?:not set|unset|not defined|undefined)| (?:must|needs to|has to) be (?:set|defined)|: unbound variable|: parameter (?:null or )?not set)\b/,
  // Such words are also said of other things, so the name must look like one of a variable.
  /^(?:\S+:\d+: \*\*\* |(?<by>[\w.+/-]+): )?(?:\w*[Ee]rror: )?(?:(?:[Tt]he )?(?:[Rr]equired )?(?:[Ee]nvironment |[Ee]nv |[Ss]hell )?[Vv]ar(?:iable)? )?["'`$]*(?<thing>[A-Z][A-Z0-9]*_[A-Z0-9_]+)["'`]?(?: environment variable| variable)? (?:is|was) (?:required|missing|empty)\b/,
  /^(?:(?<by>[\w.+/-]+): )?(?:\w*[Ee]rror: )?(?:[Pp]lease|[Yy]ou (?:must|need to|have to)) (?:set|export|define) (?:the )?(?:environment |env )?(?:variable )?["'`$]*(?<thing>[A-Z][A-Z0-9]*_[A-Z0-9_]+)/,
  // A shell at `${X:?set it}` prints the script's own words after the name.
  /^(?:\S+: (?:line )?\d+: )?(?<thing>[A-Z][A-Z0-9]*_[A-Z0-9_]+): (?:(?:please|is|must|should|be) )*(?:set|export|required|missing|needed)\b/,
  /^(?:(?<by>[\w.+/-]+): )?(?:\w*[Ee]rror: )?(?:[Mm]issing|[Uu]ndefined|[Uu]nset) (?:required )?env(?:ironment)? var(?:iable)?(?:\(?s\)?)?:? ["'`$]*(?<thing>[A-Z][A-Z0-9_]{2,})/,
  /^(?:(?<by>[\w.+/-]+): )?(?:\w*[Ee]rror: )?[Ee]nv(?:ironment)? var(?:iable)?s? (?:is |was )?(?:not (?:set|defined)|missing|required|unset): ["'`$]*(?<thing>[A-Z][A-Z0-9_]{2,})/,
  // A program that reads its environment without a default; the library decouple.
  /^(?:E +)?KeyError: ["'](?<thing>[A-Z][A-Z0-9]*_[A-Z0-9_]+)["']$/,
  /^(?:\w+\.)*UndefinedValueError: (?<thing>[A-Z][A-Z0-9_]{2,}) not found\./,
];
