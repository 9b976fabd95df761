import { describe, expect, it } from '@jest/globals';
import { renderMessage } from './message-template.js';
import { variablesOf } from './template-variables.js';

describe('a variable of a template', () => {
  it.each([
    ['First Name', 'first_name'],
    ['Pre\u0301nom du contact', 'prénom_du_contact'],
    ['Имя', 'имя'],
    ['会社名', '会社名'],
    ['2nd address', '_2nd_address'],
    ['E-Mail', 'E-Mail'],
    ['constructor', 'constructor'],
    ['Größe', 'gr_e'],
  ])('for the column %p is %p', (key, name) => {
    const variables = Object.fromEntries([...variablesOf([{ key }])].map(([each]) => [each, key]));
    expect(renderMessage({ subject: null, body: `{{ ${name} }}` }, variables).text).toBe(key);
  });

  it('is the column with exactly this key, if several have its name', () => {
    const variables = variablesOf(['name', 'Name', 'NAME '].map((key) => ({ key })));
    expect(['name', 'Name'].map((each) => variables.get(each))).toEqual(['name', 'Name']);
  });
});
