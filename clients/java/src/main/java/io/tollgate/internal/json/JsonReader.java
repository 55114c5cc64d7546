package io.tollgate.internal.json;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parses one text completely. Strict: rejects everything that RFC 8259 does not allow. */
final class JsonReader {
  /**
   * The maximum depth of JSON: no response of the API is deeper, and a deeper text could overflow the stack.
   */
  private static final int DEPTH_MAX = 200;

  private final String text;
  private int at;
  private int depth;

  JsonReader(String text) {
    this.text = text;
  }

  Object readAll() {
    var value = readValue();
    skipBlanks();
    if (at < text.length()) throw problem("nothing more");
    return value;
  }

  private Object readValue() {
    skipBlanks();
    return switch (peek()) {
      case '{' -> readObject();
      case '[' -> readList();
      case '"' -> readString();
      case 't' -> readWord("true", Boolean.TRUE);
      case 'f' -> readWord("false", Boolean.FALSE);
      case 'n' -> readWord("null", null);
      default -> readNumber();
    };
  }

  private Map<String, Object> readObject() {
    var fields = new LinkedHashMap<String, Object>();
    enter();
    skipBlanks();
    if (!skip('}')) {
      do {
        skipBlanks();
        if (peek() != '"') throw problem("a name");
        var name = readString();
        skipBlanks();
        expect(':');
        var value = readValue();
        if (value == null) fields.remove(name);
        else fields.put(name, value);
        skipBlanks();
      } while (skip(','));
      expect('}');
    }
    depth -= 1;
    return fields;
  }

  private List<Object> readList() {
    var values = new ArrayList<Object>();
    enter();
    skipBlanks();
    if (!skip(']')) {
      do {
        var value = readValue();
        if (value != null) values.add(value);
        skipBlanks();
      } while (skip(','));
      expect(']');
    }
    depth -= 1;
    return values;
  }

  private void enter() {
    at += 1;
    depth += 1;
    if (depth > DEPTH_MAX) throw problem("less depth");
  }

  private String readString() {
    at += 1;
    int start = at;
    while (peek() != '"') {
      if (text.charAt(at) == '\\') return readEscaped(start);
      if (text.charAt(at) < ' ') throw problem("no control character");
      at += 1;
    }
    at += 1;
    return text.substring(start, at - 1);
  }

  private String readEscaped(int start) {
    var read = new StringBuilder(text.substring(start, at));
    while (peek() != '"') {
      char next = text.charAt(at);
      if (next < ' ') throw problem("no control character");
      at += 1;
      read.append(next == '\\' ? readEscape() : next);
    }
    at += 1;
    return read.toString();
  }

  private char readEscape() {
    char next = peek();
    at += 1;
    return switch (next) {
      case '"', '\\', '/' -> next;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> readHex();
      default -> throw problem("an escape");
    };
  }

  private char readHex() {
    int code = 0;
    for (int count = 0; count < 4; count += 1) {
      char next = peek();
      int digit = next < 128 ? Character.digit(next, 16) : -1;
      if (digit < 0) throw problem("four hexadecimal digits");
      code = code * 16 + digit;
      at += 1;
    }
    return (char) code;
  }

  private Object readWord(String word, Object value) {
    if (!text.startsWith(word, at)) throw problem("a value");
    at += word.length();
    return value;
  }

  private Object readNumber() {
    int start = at;
    skip('-');
    if (!skip('0')) skipDigits();
    boolean isWhole = true;
    if (skip('.')) {
      isWhole = false;
      skipDigits();
    }
    if (skip('e') || skip('E')) {
      isWhole = false;
      if (!skip('+')) skip('-');
      skipDigits();
    }
    var number = text.substring(start, at);
    // Eighteen digits always fit into a long; a long has no negative zero.
    return isWhole && number.length() <= 18 && !number.equals("-0") ? (Object) Long.valueOf(number) : decimal(number);
  }

  private BigDecimal decimal(String number) {
    try {
      return new BigDecimal(number);
    } catch (NumberFormatException problem) {
      throw problem("a number of reasonable size");
    }
  }

  private void skipDigits() {
    int start = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') at += 1;
    if (at == start) throw problem("a value");
  }

  private void skipBlanks() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) at += 1;
  }

  private boolean skip(char character) {
    if (at >= text.length() || text.charAt(at) != character) return false;
    at += 1;
    return true;
  }

  private void expect(char character) {
    if (!skip(character)) throw problem("'" + character + "'");
  }

  private char peek() {
    if (at >= text.length()) throw problem("more");
    return text.charAt(at);
  }

  private JsonException problem(String expected) {
    return new JsonException("This is not JSON: expected " + expected + " at character " + at + ".");
  }
}
