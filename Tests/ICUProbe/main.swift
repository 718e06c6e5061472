import Foundation

// All that the program asks of ICU through Foundation, in the process's locale: see Tests/Scripts/check-icu-data.
let date = Date(timeIntervalSince1970: 1_790_000_000.25)
print(["Ana", "Ben", "Chi"].formatted(.list(type: .and).locale(Locale(identifier: "en"))))
print(date.formatted(.iso8601), date.formatted(.iso8601.year().month().day()))
print(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
for code in ["de", "deu", "ger", "jpn", "zh-Hant", "xx"] {
  print(Locale(identifier: "en").localizedString(forLanguageCode: code) ?? "-", terminator: " ")
}
print()
let text = "ÉCOLE Straße İstanbul ñandú"
print(text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil))
print(String(format: "%.1f ms %g× %d:%02d", 1234.5, 1.25, 7, 5))
let time = Calendar.current.dateComponents([.hour, .minute], from: date)
print(time.hour != nil && time.minute != nil)
print(URL(string: "https://bücher.example/film.mkv")?.host() ?? "-")
print("ﬁlm İ".lowercased(), "straße".capitalized)
// Compared by GRDB's collations.
print(
  ["b", "Ä", "a", "z", "ä"].sorted { $0.localizedStandardCompare($1) == .orderedAscending }.count)
print(["a10", "a9"].sorted { $0.localizedCaseInsensitiveCompare($1) == .orderedAscending }.count)
// With the locale's own signs where its tables are there, in ICU's general form where they aren't: never empty.
print(ByteCountFormatter.string(fromByteCount: 1_500_000, countStyle: .file).isEmpty)
