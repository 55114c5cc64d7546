import type { RandomBelow } from "../../src/core/id.ts";

/** Random texts about orders as shops write them, in several languages, with their numbers. */
export function randomOrderText(below: RandomBelow): string {
  const random = newRandomText(below);
  const parts = Array.from({ length: 1 + below(4) }, () => random.pick(sentences)(random));
  return parts.join(random.pick([", ", "; ", " | ", "\n", " - "]));
}

interface RandomText {
  readonly below: RandomBelow;
  digits(count: number): string;
  pick<Value>(values: readonly Value[]): Value;
  /** `count` random characters of these. */
  word(count: number, characters: string): string;
  /** Two digits. */
  two(from: number, to: number): string;
  date(): string;
}

function newRandomText(below: RandomBelow): RandomText {
  const word = (count: number, characters: string): string =>
    Array.from({ length: count }, () => characters[below(characters.length)]).join("");
  const two = (from: number, to: number): string => String(from + below(to - from)).padStart(2, "0");
  return {
    below,
    digits: (count) => word(count, "0123456789"),
    pick: <Value>(values: readonly Value[]) => values[below(values.length)] as Value,
    word,
    two,
    date: () => `20${two(20, 30)}-${two(1, 13)}-${two(1, 29)}`,
  };
}

const capitals = "ABCDEFGHJKLMNPQRSTUVWXYZ";
const hexadecimal = "0123456789abcdef";

const sentences: readonly ((random: RandomText) => string)[] = [
  (random) => `Order ${orderNumber(random)}`,
  (random) => `Bestellung ${orderNumber(random)} vom ${random.date()}`,
  (random) => `订单 ${orderNumber(random)} ${price(random)}`,
  (random) => `Tel. ${telephone(random)}`,
  (random) => `Tracking ${parcel(random)}`,
  (random) =>
    `${random.below(9) + 1} x Espresso ${random.below(5)}00 g, EAN ${product(random)}, ${price(random)}`,
  (random) => `EAN: ${product(random)} / ${product(random)}`,
  (random) => `deliver ${random.date()} ${clock(random)}-${clock(random)}`,
  (random) => `sizes ${random.pick(["36, 37, 38, 39, 40, 41", "42 44 46 48 50 52 54", "S/M/L"])}`,
  ({ below, digits }) => `at ${below(90)}.${digits(6)}, ${below(90)}.${digits(7)}`,
  address,
  price,
  ({ digits, pick }) => `${digits(4)}${pick(["x", " x ", "X"])}${digits(4)} mm`,
  ({ digits, pick, word }) => {
    const prefix = word(pick([1, 2]), capitals);
    return Array.from({ length: 4 }, () => `${prefix}${digits(4)}`).join(pick([", ", " ", "/"]));
  },
  ({ digits, pick, word }) =>
    `Ref ${digits(4)}${word(1, capitals)}${digits(4)}${word(1, capitals)}${digits(pick([4, 6]))}`,
  (random) =>
    [orderNumber(random), telephone(random), price(random)].join(
      random.pick(["    ", "\n-----\n", "\t\t\t\t"]),
    ),
];

/** Order numbers in the formats of several shops and marketplaces. */
function orderNumber({ below, digits, pick, word, two, date }: RandomText): string {
  const day = date().replaceAll("-", "");
  return pick([
    `#${below(90_000) + 1000}`,
    `${day}-${digits(6)}`,
    `${day}${digits(pick([6, 8, 10]))}`,
    `${day.slice(2)}${two(0, 24)}${two(0, 60)}${digits(6)}`,
    `${pick(["302", "028", "111", "404", "503"])}-${digits(7)}-${digits(7)}`,
    `${word(3, capitals)}-${digits(10)}`,
    `8${digits(15)}`,
    digits(pick([6, 8, 10, 12])),
    word(24, hexadecimal),
    [8, 4, 4, 4, 12].map((length) => word(length, hexadecimal)).join("-"),
    `${day}${digits(27)}`,
  ]);
}

function telephone({ digits, pick }: RandomText): string {
  return pick([
    `+49 ${pick(["151", "160", "171"])} ${digits(8)}`,
    `+4915${digits(9)}`,
    `0049 30 ${digits(7)}`,
    `${pick(["415", "510", "650"])}-555-${digits(4)}`,
    `(${digits(3)}) ${digits(3)}-${digits(4)} / ${digits(3)}-${digits(3)}-${digits(4)}`,
    `6${digits(2)} ${digits(3)} ${digits(3)}, 9${digits(2)} ${digits(3)} ${digits(3)}`,
    `+33 6 ${digits(2)} ${digits(2)} ${digits(2)} ${digits(2)}`,
    `+86 13${digits(1)} ${digits(4)} ${digits(4)}`,
    `+44 7700 ${digits(6)}`,
    `+63 917 ${digits(3)} ${digits(4)}`,
    `03-${digits(4)}-${digits(4)}`,
  ]);
}

/** Parcel numbers in the formats of several carriers, with their check digits. */
function parcel(random: RandomText): string {
  const { digits, pick, word } = random;
  const postParcel = withCheckDigit(random, 22, pick(["9400", "9205", "9361"]));
  return pick([
    `1Z${word(1, capitals)}${digits(3)}${word(1, capitals)}${digits(11)}`,
    postParcel,
    postParcel.replaceAll(/(\d{4})(?=\d)/g, "$1 "),
    `00${withCheckDigit(random, 18, "340434")}`,
    digits(12),
    `JD0${digits(17)}`,
    `${word(2, capitals)}${digits(9)}${pick(["DE", "GB", "CN", "BR"])}`,
    `SF1${digits(12)}`,
    `0${digits(13)}`,
  ]);
}

const productPrefixes = ["40", "42", "43", "50", "54", "30", "35", "36", "69", "49", "45", "0", "8"];

function product(random: RandomText): string {
  return withCheckDigit(random, 13, random.pick(productPrefixes));
}

function withCheckDigit({ digits }: RandomText, length: number, prefix: string): string {
  const body = prefix + digits(length - 1 - prefix.length);
  const sum = body
    .split("")
    .toReversed()
    .reduce((all, digit, at) => all + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  return `${body}${(10 - (sum % 10)) % 10}`;
}

function price({ below, digits, pick, two }: RandomText): string {
  return pick([
    `${below(900) + 1}.${two(0, 100)} EUR`,
    `${below(9)}.${digits(3)},${two(0, 100)} €`,
    `¥${below(90)},${digits(3)}`,
    `$${below(999)}.99`,
  ]);
}

function clock({ two }: RandomText): string {
  return `${two(0, 24)}:${two(0, 60)}`;
}

function address({ below, digits, pick }: RandomText): string {
  return pick([
    `Unter den Linden ${below(200)}, ${digits(5)} Berlin`,
    `${below(9999)} Market St, Apt ${below(900)}, San Francisco, CA 94${digits(3)}-${digits(4)}`,
    `上海市黄浦区南京东路${below(900)}号${below(30)}室 200${digits(3)}`,
    `〒${digits(3)}-${digits(4)} 東京都千代田区丸の内${below(4)}-${below(9)}-${below(20)}`,
    `ул. Тверская, д. ${below(90)}, кв. ${below(300)}, Москва, ${digits(6)}`,
    `${below(200)} rue de Rivoli, 75${digits(3)} Paris`,
    `شارع الملك فهد ${below(900)}، الرياض ${digits(5)}`,
  ]);
}
