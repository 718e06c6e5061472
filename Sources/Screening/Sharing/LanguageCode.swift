import Foundation

/// A code of a language, such as `en`, `eng` or `pt-BR`.
package enum LanguageCode {
  /// Returns a code that is safe to use in a list of codes; nil for any other text.
  package static func checked(_ text: String) -> String? {
    let isCode =
      (2...12).contains(text.utf8.count)
      && text.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || $0 == 45 }
    return isCode ? text : nil
  }

  /// Returns the codes with which films name a language, beginning with the given one: mpv 0.35 compares the letters only.
  package static func spellings(of code: String) -> [String] {
    let plain = code.prefix { $0 != "-" }.lowercased()
    let language = Locale.LanguageCode(bibliographic[plain] ?? plain)
    let long = language.identifier(.alpha3)
    let others = [
      language.identifier(.alpha2), long, bibliographic.first { $0.value == long }?.key,
    ]
    return [code] + Set(others.compactMap(\.self)).subtracting([code]).sorted()
  }

  /// The codes for which ISO 639-2 has an older form, which Matroska prefers.
  private static let bibliographic = [
    "alb": "sqi", "arm": "hye", "baq": "eus", "bur": "mya", "chi": "zho", "cze": "ces",
    "dut": "nld", "fre": "fra", "geo": "kat", "ger": "deu", "gre": "ell", "ice": "isl",
    "mac": "mkd", "mao": "mri", "may": "msa", "per": "fas", "rum": "ron", "slo": "slk",
    "tib": "bod", "wel": "cym",
  ]

  /// Returns the code in the name of a file, as in `film.fr.srt`; nil for none.
  package static func named(in file: String) -> String? {
    let parts = file.split(separator: ".")
    guard parts.count > 2, (2...3).contains(parts[parts.count - 2].utf8.count) else { return nil }
    return checked(parts[parts.count - 2].lowercased())
  }
}
