import { ordersIn } from './report.ts';

const ID = '018f6f2e-0a1b-7000-8000-00000000000a';
const OTHER = '018f6f2e-0a1b-7000-8000-00000000000b';
const HEX = ID.replaceAll('-', '');

test.each([
  [`ORDER-${ID}.gcode`],
  [`x_order-${ID.toUpperCase()}_2.gcode`],
  [`ORDER-${ID}/part1.gcode`],
  [`ORDER_${ID.replaceAll('-', '_')}.gcode`],
  [`ORDER ${ID.replaceAll('-', ' ')} (2).gcode`],
  [`ORDER%20${ID}.gcode`],
  [`ORDER%2D${ID.replaceAll('-', '%2D')}.gcode`],
  [`ORDER+${ID}.gcode`],
  [`ORDER - ${ID}.gcode`],
  [`order${HEX}.gcode`],
  [`ORDER-${HEX}_PLA.gcode`],
  [`ORDER-${ID} copy ORDER_${HEX}.gcode`],
])('finds the label in %s', (filename) => {
  expect(ordersIn(filename)).toEqual([ID]);
});

test.each([
  [`${ID}.gcode`],
  [`ORDER-${ID.slice(0, -1)}.gcode`],
  [`ORDER-${HEX}${HEX}.gcode`],
  [`ORDER number ${ID}.gcode`],
  ['ORDER-42.gcode'],
])('finds no label in %s', (filename) => {
  expect(ordersIn(filename)).toEqual([]);
});

test('finds several labels', () => {
  expect(ordersIn(`ORDER-${ID}_ORDER_${OTHER.replaceAll('-', '')}.gcode`)).toEqual([ID, OTHER]);
});
