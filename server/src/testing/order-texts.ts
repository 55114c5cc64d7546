import type { RandomBelow } from "../core/id.ts";

/** Texts as shops write them about orders, in several languages, with the numbers that stand in them. */
export function orderText(below: RandomBelow): string {
  const digits = (count: number): string => Array.from({ length: count }, () => below(10)).join("");
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;
  const two = (from: number, to: number): string => String(from + below(to - from)).padStart(2, "0");
  const date = (): string => `20${two(20, 30)}-${two(1, 13)}-${two(1, 29)}`;
  const compactDate = (): string => date().replaceAll("-", "");
  const goodsCode = (length: number, prefix: string): string => {
    const body = prefix + digits(length - 1 - prefix.length);
    const sum = body
      .split("")
      .toReversed()
      .reduce((all, digit, at) => all + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
    return `${body}${(10 - (sum % 10)) % 10}`;
  };
  const ean = (): string =>
    goodsCode(13, pick(["40", "42", "43", "50", "54", "30", "35", "36", "69", "49", "45", "0", "8"]));
  const letters = (count: number): string =>
    Array.from({ length: count }, () => pick("ABCDEFGHJKLMNPQRSTUVWXYZ".split(""))).join("");
  const hex = (count: number): string =>
    Array.from({ length: count }, () => pick("0123456789abcdef".split(""))).join("");
  const price = (): string =>
    pick([
      `${below(900) + 1}.${two(0, 100)} EUR`,
      `${below(9)}.${digits(3)},${two(0, 100)} €`,
      `¥${below(90)},${digits(3)}`,
      `$${below(999)}.99`,
    ]);
  const phone = (): string =>
    pick([
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
  const tracking = (): string =>
    pick([
      `1Z${letters(1)}${digits(3)}${letters(1)}${digits(11)}`,
      goodsCode(22, pick(["9400", "9205", "9361"])),
      goodsCode(22, "9400").replace(/(\d{4})(?=\d)/g, "$1 "),
      `00${goodsCode(18, "340434")}`,
      digits(12),
      `JD0${digits(17)}`,
      `${letters(2)}${digits(9)}${pick(["DE", "GB", "CN", "BR"])}`,
      `SF1${digits(12)}`,
      `0${digits(13)}`,
    ]);
  const order = (): string =>
    pick([
      `#${below(90_000) + 1000}`,
      `${compactDate()}-${digits(6)}`,
      `${compactDate()}${digits(pick([6, 8, 10]))}`,
      `${date().slice(2).replaceAll("-", "")}${two(0, 24)}${two(0, 60)}${digits(6)}`,
      `${pick(["302", "028", "111", "404", "503"])}-${digits(7)}-${digits(7)}`,
      `${letters(3)}-${digits(10)}`,
      `8${digits(15)}`,
      digits(pick([6, 8, 10, 12])),
      hex(24),
      `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
      `${compactDate()}${digits(27)}`,
    ]);
  const address = (): string =>
    pick([
      `Unter den Linden ${below(200)}, ${digits(5)} Berlin`,
      `${below(9999)} Market St, Apt ${below(900)}, San Francisco, CA 94${digits(3)}-${digits(4)}`,
      `上海市黄浦区南京东路${below(900)}号${below(30)}室 200${digits(3)}`,
      `〒${digits(3)}-${digits(4)} 東京都千代田区丸の内${below(4)}-${below(9)}-${below(20)}`,
      `ул. Тверская, д. ${below(90)}, кв. ${below(300)}, Москва, ${digits(6)}`,
      `${below(200)} rue de Rivoli, 75${digits(3)} Paris`,
      `شارع الملك فهد ${below(900)}، الرياض ${digits(5)}`,
    ]);
  const part = [
    (): string => `Order ${order()}`,
    (): string => `Bestellung ${order()} vom ${date()}`,
    (): string => `订单 ${order()} ${price()}`,
    (): string => `Tel. ${phone()}`,
    (): string => `Tracking ${tracking()}`,
    (): string => `${below(9) + 1} x Espresso ${below(5)}00 g, EAN ${ean()}, ${price()}`,
    (): string => `EAN: ${ean()} / ${ean()}`,
    (): string => `deliver ${date()} ${two(0, 24)}:${two(0, 60)}-${two(0, 24)}:${two(0, 60)}`,
    address,
    price,
    (): string => `sizes ${pick(["36, 37, 38, 39, 40, 41", "42 44 46 48 50 52 54", "S/M/L"])}`,
    (): string => `at ${below(90)}.${digits(6)}, ${below(90)}.${digits(7)}`,
  ];
  return Array.from({ length: 1 + below(4) }, () => pick(part)()).join(
    pick([", ", "; ", " | ", "\n", " - "]),
  );
}
