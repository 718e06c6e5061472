import Foundation
import Testing

/// The rules that keep one loop in the program: the machine decides, and adapters act.
@Suite("The program's loop") struct ProgramRuleTests {
  let repository: Repository

  init() throws { repository = try Repository.here.get() }

  private func files(in folder: String) -> [SourceFile] {
    repository.sources.filter { $0.path.hasPrefix("Sources/" + folder + "/") }
  }

  @Test("Nothing outside its module changes the machine, except by its events")
  func machine() {
    let machine = files(in: "Screening/Machine")
    #expect(machine.count > 8)
    let entrances = machine.flatMap { file in
      file.text.matches(of: /package mutating func (\w+)/).map { String($0.output.1) }
    }
    #expect(Set(entrances) == ["handle", "timerFired", "failed"])
    for file in machine where file.text.contains("struct ScreeningMachine") {
      let open = file.text.matches(of: /\n  package var \w+(?:: [^{=\n]+)?(?: =|\n)/)
      #expect(open.isEmpty, "\(file.path): \(open.map(\.output))")
    }
    let loop = files(in: "Screening/Loop").map(\.text).joined()
    #expect(loop.contains("package private(set) var machine"))
  }

  @Test("No adapter names another, nor holds a closure of another")
  func adapters() {
    let adapters = files(in: "MatineeKit/Adapters")
    let names = Set(
      adapters.flatMap { file in
        file.text.matches(of: /final class (\w+Adapter)\b/).map { String($0.output.1) }
      })
    #expect(names.count >= 5)
    for file in adapters {
      let own = file.path.split(separator: "/").last!.prefix { $0 != "." && $0 != "+" }
      let others = names.filter { name in
        name != own && file.text.firstRange(of: name) != nil
      }
      #expect(others.isEmpty, "\(file.path) names \(others.sorted())")
      // The face asks the user, on behalf of the party.
      let closures = file.text.matches(of: /\n  (?:private )?(?:let|var) (\w+): .*->/)
        .map { String($0.output.1) }.filter { $0 != "preparer" }
      #expect(closures.isEmpty, "\(file.path) holds \(closures)")
    }
  }

  @Test("The program's layers have no field that is set later")
  func fields() {
    for file in files(in: "MatineeKit") {
      let unwrapped = file.text.matches(of: /\n  (?:\w+(?:\(set\))? )*var \w+: [\w<>.]+!/)
      #expect(unwrapped.isEmpty, "\(file.path): \(unwrapped.map(\.output))")
    }
  }

  // MARK: - The paths through the house

  /// The files at the stations of a path in the article, in order.
  private func stations(of path: String, in article: String) throws -> [[String]] {
    let start = try #require(article.range(of: "## Follow " + path), "no path of \(path)")
    let rest = article[start.upperBound...]
    let section = rest[..<(rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex)]
    return section.split(separator: /\n(?=\d+\. )/).dropFirst().map { station in
      station.matches(of: /`([\w.+\/]+\.swift)`/).map { String($0.output.1) }
    }
  }

  @Test(
    "A path through the house passes no file twice, and each of its stations is there",
    arguments: [
      ("a key press", "TerminalUI/Shell/InputThread.swift"),
      ("a network message", "NATSTransport/ProtocolHandler.swift"),
      ("a film's opening", "MatineeCommands/Commands/Watch.swift"),
    ])
  func paths(path: String, first: String) throws {
    let article = try String(
      contentsOf: repository.root.appendingPathComponent(
        "Sources/matinee/matinee.docc/HowItWorks.md"), encoding: .utf8)
    let stations = try stations(of: path, in: article)
    #expect(stations.count >= 5)
    #expect(stations.first?.first == first)
    let files = stations.joined()
    let known = Set(repository.sources.map(\.path))
    for file in files { #expect(known.contains("Sources/" + file), "\(path): no \(file)") }
    // The same library is passed on both sides of a wire, but no file is a station twice.
    var passed: [String: Int] = [:]
    for (number, station) in stations.enumerated() {
      for file in Set(station) where !Self.isMet.contains(file) {
        #expect(passed[file] == nil, "\(path): \(file) at \(passed[file] ?? 0) and \(number)")
        passed[file] = number
      }
    }
    let machine = stations.firstIndex { $0.contains { $0.hasPrefix("Screening/Machine/") } }
    let adapter = stations.lastIndex { $0.contains { $0.hasPrefix("MatineeKit/Adapters/") } }
    #expect(try #require(machine) < #require(adapter))
  }

  /// The party's shell sends on one side of the wire, and receives on the other.
  private static let isMet: Set = ["GroupActivities/Party/Party+Shell.swift"]
}

extension SourceFile {
  fileprivate var text: String { lines.joined(separator: "\n") }
}
