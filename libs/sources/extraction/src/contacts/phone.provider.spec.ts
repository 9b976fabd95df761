import { describe, expect, it } from '@jest/globals';
import { LOOKUP_OUTPUTS } from '@quarry/service-catalog';
import { PhoneProvider } from './phone.provider.js';

async function normalised(input: { phone: string; country?: string }) {
  const call = { service: 'validatePhone', input, searchId: 'hold_1', signal: new AbortController().signal };
  const { output } = await new PhoneProvider().answerCall(call);
  const { phone, valid, country, line_type: type } = LOOKUP_OUTPUTS.validatePhone.parse(output);
  return [phone, valid, country, type];
}

describe('validatePhone without a key', () => {
  it.each([
    [{ phone: '+49 30 901820' }, ['+4930901820', true, 'DE', 'fixed_line']],
    [{ phone: '030 901820', country: 'de' }, ['+4930901820', true, 'DE', 'fixed_line']],
    [{ phone: '+44 7911 123456' }, ['+447911123456', true, 'GG', 'mobile']],
    [{ phone: '+33 6 12 34 56 78' }, ['+33612345678', true, 'FR', 'mobile']],
    [{ phone: '+1 800 225 5288' }, ['+18002255288', true, 'US', 'toll_free']],
    // Reserved for fiction, so assigned to nobody.
    [{ phone: '+12125550123' }, ['+12125550123', true, 'US', 'fixed_line_or_mobile']],
    [{ phone: '030 901820' }, [null, false, null, null]],
    [{ phone: '030 901820', country: 'Atlantis' }, [null, false, null, null]],
    [{ phone: '+49 1' }, [null, false, null, null]],
    [{ phone: 'call us!' }, [null, false, null, null]],
    [{ phone: 'tel +49 30 901820 or so' }, [null, false, null, null]],
  ])('reads %j as %j', async (input, expected) => {
    expect(await normalised(input)).toEqual(expected);
  });
});
