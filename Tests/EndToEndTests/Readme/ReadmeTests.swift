import Foundation
import ProcessTesting
import Testing

@testable import MatineeCommands
@testable import TerminalUI

@Suite("The README")
struct ReadmeTests {
  @Test("It is a front page of at most 150 lines, none longer than a screen")
  func length() throws {
    let lines = try ReadmeText.lines
    #expect(lines.count <= 151)
    // Tables and links can't be wrapped.
    for line in lines where !line.hasPrefix("|") && !line.contains("](") {
      #expect(line.count <= 120, "\(line)")
    }
  }

  @Test("Every link leads to a file, and every picture is small enough to load at once")
  func links() throws {
    let links = try ReadmeText.links
    #expect(links.count >= 8)
    let limits = ["png": 400_000, "webp": 1_000_000]
    for link in links {
      let path = ReadmeText.root.appendingPathComponent(link).path
      let size = try #require(
        FileManager.default.attributesOfItem(atPath: path)[.size] as? Int, "\(link)")
      let limit = limits[(link as NSString).pathExtension] ?? .max
      #expect(size < limit, "\(link) has \(size) bytes")
    }
  }

  @Test("Its ten keys do what the program's own help says")
  func keys() throws {
    let rows = try ReadmeText.table(below: "Ten keys")
    #expect(rows.count == 10)
    for row in rows {
      let label = row[0].trimmingCharacters(in: ["`"])
      let entry = KeyMap.standard.entries.first { entry in
        !entry.section.isForOneThing
          && entry.keysLabel(isUnicode: true, allKeys: false).description == label
      }
      #expect(try #require(entry, "no key is called \(label)").help == row[1])
    }
  }

  @Test("Its figures are in the article that says how they were measured")
  func figures() throws {
    let article = try String(
      contentsOf: ReadmeText.root.appendingPathComponent(
        "Sources/matinee/matinee.docc/Measurements.md"), encoding: .utf8)
    let text = try ReadmeText.text.get()
    #expect(text.contains("(Sources/matinee/matinee.docc/Measurements.md)"))
    let paragraph = try #require(text.firstMatch(of: /\*\*In step to the ear\.\*\*[^*]*/)).output
    let figures = paragraph.matches(of: /([0-9.]+) ms/).map { String($0.output.1) }
    #expect(figures.count >= 6)
    let measured = Set(article.matches(of: /[0-9]+(\.[0-9]+)?/).map { String($0.output.0) })
    for figure in figures {
      #expect(measured.contains(figure), "\(figure) ms isn't in Measurements.md")
    }
  }

  @Test("Every manual page is named, and every named page exists")
  func pages() throws {
    let text = try ReadmeText.text.get()
    let named = Set(text.matches(of: /`man (?:([57]) )?([a-z-]+)`/).map { String($0.output.2) })
    #expect(named == Set(try ManualPage.all().map { String($0.fileName.dropLast(2)) }))
  }
}

@Suite("Commands in the manual and in the articles")
struct DocumentedCommandTests {
  /// The lines of code in the manual and in the articles that run the program.
  private static let commands = Result {
    var lines: [String] = []
    let sources = ReadmeText.root.appendingPathComponent("Sources")
    let files = FileManager.default.enumerator(atPath: sources.path)
    while let path = files?.nextObject() as? String {
      guard path.hasSuffix(".md") else { continue }
      lines += try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
        .split(separator: "\n").map(String.init)
    }
    return lines.filter { $0.hasPrefix("matinee ") || $0.hasPrefix("make ") }
      .map { line in line.firstRange(of: " #").map { String(line[..<$0.lowerBound]) } ?? line }
  }

  @Test("The program accepts every documented command that runs it")
  func matinee() throws {
    let commands = try Self.commands.get().filter { $0.hasPrefix("matinee ") }
    #expect(commands.count > 5)
    for command in commands {
      var words = command.split(separator: " ").dropFirst()
        .map { $0.trimmingCharacters(in: ["'"]).replacing("...", with: "…") }
      // Their files don't exist here.
      for option in ["--relay-credentials", "--relay-ca"] {
        if let index = words.firstIndex(of: option) { words.removeSubrange(index...index + 1) }
      }
      // An invite is parsed only when it is used.
      #expect(throws: Never.self, "\(command)") { try Matinee.parseAsRoot(words) }
    }
  }

  @Test("The Makefile has the targets of every documented command that runs make")
  func make() throws {
    let makefile = try String(
      contentsOf: ReadmeText.root.appendingPathComponent("Makefile"), encoding: .utf8)
    let targets = Set(makefile.matches(of: /(?m)^([a-z-]+):/).map { String($0.output.1) })
    let commands = try Self.commands.get().filter { $0.hasPrefix("make ") }
    #expect(commands.count > 5)
    for command in commands {
      for word in command.split(separator: " ").dropFirst() {
        if word.contains("=") { break }
        #expect(targets.contains(String(word)), "\(command)")
      }
    }
  }
}
