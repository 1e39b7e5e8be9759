import { attachment, fileKindOf, photoKindOf, safeName } from './file-kind.ts';

const text = (content: string) => Buffer.from(content);

function binaryStl(triangles: number, header = 'made by a slicer') {
  const bytes = Buffer.alloc(84 + 50 * triangles);
  bytes.write(header);
  bytes.writeUInt32LE(triangles, 80);
  return bytes;
}

/** A ZIP of empty entries, written from its published format. */
function zip(names: string[], { claimed = 0, before = '' } = {}) {
  const local: Buffer[] = [Buffer.from(before)];
  const central: Buffer[] = [];
  let at = before.length;
  for (const name of names) {
    const header = Buffer.alloc(30 + name.length);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(name.length, 26);
    header.write(name, 30);
    const entry = Buffer.alloc(46 + name.length);
    entry.writeUInt32LE(0x02014b50, 0);
    // the uncompressed size that it claims
    entry.writeUInt32LE(claimed, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    entry.write(name, 46);
    local.push(header);
    central.push(entry);
    at += header.length;
  }
  const table = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(names.length, 8);
  end.writeUInt16LE(names.length, 10);
  end.writeUInt32LE(table.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...local, table, end]);
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const facet = 'facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1 0\n endloop\nendfacet\n';

test.each<[string, Buffer, string]>([
  ['an ASCII STL', text(`solid part\n${facet}endsolid part\n`), 'stl'],
  ['an ASCII STL without a name', text(`solid\r\n  ${facet}endsolid\n`), 'stl'],
  ['a binary STL', binaryStl(3), 'stl'],
  ['a binary STL that begins as an ASCII one', binaryStl(2, 'solid from a CAD'), 'stl'],
  ['a 3MF', zip(['[Content_Types].xml', '_rels/.rels', '3D/3dmodel.model']), '3mf'],
  ['a ZIP', zip(['bracket.stl']), 'zip'],
  ['a ZIP that says it unpacks to 4 GB', zip(['bomb.bin'], { claimed: 0xffffffff }), 'zip'],
  [
    'an OBJ',
    text('# a cube\nmtllib cube.mtl\no Cube\nv 1.0 1.0 -1.0\nv 1e-3 0 .5\nvn 0 1 0\nf 1//1 2//1 \\\n 3//1\n'),
    'obj',
  ],
  ['a STEP', text('ISO-10303-21;\nHEADER;\n'), 'step'],
  ['a PNG', png, 'png'],
  ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46]), 'jpg'],
  ['a WebP', Buffer.concat([text('RIFF'), Buffer.from([16, 0, 0, 0]), text('WEBPVP8 '), Buffer.alloc(8)]), 'webp'],
  ['a PDF', text('%PDF-1.7\n…'), 'pdf'],
])('%s is recognized', (_, content, kind) => expect(fileKindOf(content)).toBe(kind));

test.each<[string, Buffer]>([
  ['nothing', Buffer.alloc(0)],
  ['HTML', text('<!doctype html><script>ran()</script>')],
  ['HTML after white space', text('\n\n  <html>')],
  ['HTML that begins as an STL', text('solid <script>ran()</script>\nfacet normal 0 0 1\n outer loop\n')],
  ['HTML on the lines after "solid"', text('solid part\n<script>ran()</script>\n')],
  ['SVG', text('<svg xmlns="http://www.w3.org/2000/svg" onload="ran()"/>')],
  ['SVG with an XML declaration', text('<?xml version="1.0"?><svg/>')],
  ['HTML with points of an OBJ in it', text('<html>\nv 0 0 0\nv 0 0 1\nf 1 2\n')],
  ['an OBJ with HTML in it', text('v 0 0 0\n<script>ran()</script>\nf 1 1 1\n')],
  ['an OBJ without a point', text('# nothing\ng x\n')],
  ['JavaScript', text('alert(1)\n')],
  ['a PDF after HTML', text('<html><!-- %PDF-1.7 -->')],
  ['a ZIP after a script', zip(['a.stl'], { before: '#!/bin/sh\n' })],
  ['a ZIP after HTML', zip(['a.stl'], { before: '<script>' })],
  ['a ZIP cut short', zip(['a.stl', 'b.stl']).subarray(0, -5)],
  ['a ZIP with something after it', Buffer.concat([zip(['a.stl']), text('<script>')])],
  ['a ZIP of nothing', zip([])],
  ['a binary STL cut short', binaryStl(3).subarray(0, -1)],
  ['a binary STL with something after it', Buffer.concat([binaryStl(3), text('<')])],
  ['a program of Windows', Buffer.concat([text('MZ'), Buffer.alloc(200)])],
  ['a program of Linux', Buffer.concat([Buffer.from([0x7f]), text('ELF'), Buffer.alloc(200)])],
  ['a GIF', text('GIF89a<script>')],
  [
    'a RIFF that is no WebP',
    Buffer.concat([text('RIFF'), Buffer.from([16, 0, 0, 0]), text('WAVEfmt '), Buffer.alloc(8)]),
  ],
  ['half of the sign of a PNG', png.subarray(0, 6)],
])('%s is refused', (_, content) => expect(fileKindOf(content)).toBeUndefined());

test('a ZIP whose directory claims a million names or points past its end is refused', () => {
  const lying = zip(['a.stl']);
  lying.writeUInt16LE(60_000, lying.length - 12);
  expect(fileKindOf(lying)).toBeUndefined();
  const pointing = zip(['a.stl']);
  pointing.writeUInt32LE(0xfffffff0, pointing.length - 6);
  expect(fileKindOf(pointing)).toBeUndefined();
});

test('only images are photos', () => {
  expect(photoKindOf(png)).toBe('png');
  for (const content of [text('%PDF-1.7'), text('<svg/>'), binaryStl(1), zip(['a.png'])])
    expect(photoKindOf(content)).toBeUndefined();
});

test.each([
  ['part.stl', 'part.stl'],
  ['PART.STL', 'PART.stl'],
  ['../../etc/passwd', 'passwd.stl'],
  ['C:\\Users\\x\\part.stl', 'part.stl'],
  ['page.html', 'page.html.stl'],
  ['\u202elts.exe', 'lts.exe.stl'],
  ['a"b<c>|?.stl', 'a_b_c___.stl'],
  ['...hidden', 'hidden.stl'],
  [' .. a. b . . ', 'a. b.stl'],
  ['', 'file.stl'],
  ['.stl', 'stl.stl'],
  ['дет\u0000аль\r\n.stl', 'деталь.stl'],
  [`${'ы'.repeat(300)}.stl`, `${'ы'.repeat(100)}.stl`],
  ['\ud800x.stl', '\ufffdx.stl'],
])('%j becomes %j', (sent, name) => expect(safeName(sent, 'stl')).toBe(name));

test('the header contains the name in ASCII and in full', () => {
  expect(attachment('part.stl')).toBe(`attachment; filename="part.stl"; filename*=UTF-8''part.stl`);
  expect(attachment("д'(1).stl")).toBe(`attachment; filename="_'(1).stl"; filename*=UTF-8''%D0%B4%27%281%29.stl`);
  expect(attachment('a\r\nSet-Cookie: x"y.stl')).not.toMatch(/[\r\n]/);
});
