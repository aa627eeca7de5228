/**
 * Spectral's rules for openapi/plants.yaml: `npm run lint:contract`, Spectral's CLI and its editor
 * extensions all read this file.
 *
 * It is a module and not .spectral.yaml because Spectral itself only knows rule sets as JavaScript values:
 * YAML has to be translated first, by packages that bring a bundler along. A module needs none of them.
 */
import owasp from '@stoplight/spectral-owasp-ruleset';
import { oas } from '@stoplight/spectral-rulesets';

export default {
  extends: [oas, owasp],
  rules: {
    // The specification makes an id an integer. Guessing one gains nothing: a caller reaches only its own plants.
    'owasp:api1:2023-no-numeric-ids': 'off',
    // The specification's list has no greatest length: without `limit` it returns every plant, streamed.
    'owasp:api4:2023-array-limit': 'off',
    // There are no rate limits yet, so no header may promise one. On again with 429.
    'owasp:api4:2023-rate-limit': 'off',
    // There are no rate limits yet, so nothing answers 429. On again with 429.
    'owasp:api4:2023-rate-limit-responses-429': 'off',
    // Browsers on other origins are not served: without CORS headers they refuse by themselves.
    'owasp:api8:2023-define-cors-origin': 'off',
    // Redocly's rule spec-ref-siblings names each of these members, at its own place.
    'no-$ref-siblings': 'off',
  },
};
