import ArgumentParser
import BrowserTesting
import Foundation

/// A browser for the benches, driven by lines of standard input until its end; each is answered by one line of JSON.
@main struct BrowserBench: AsyncParsableCommand {
  @Argument(help: "chromium or firefox") var browser: BrowserKind

  /// Reads a word and its argument from each line.
  func run() async throws {
    let browser = try await browser.start()
    Self.write("null")
    while let line = readLine() {
      let end = line.firstIndex(of: " ") ?? line.endIndex
      let argument = String(line[end...].dropFirst())
      do {
        Self.write(try await Self.answer(String(line[..<end]), argument, browser))
      } catch {
        Self.write(
          String(decoding: try JSONEncoder().encode(["error": "\(error)"]), as: UTF8.self))
      }
    }
  }

  /// Writes a line without a buffer: the bench waits for it.
  private static func write(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  private static func answer(
    _ word: String, _ argument: String, _ browser: any Browser
  ) async throws -> String {
    switch word {
    case "open": try await browser.open(URL(string: argument) ?? URL(fileURLWithPath: argument))
    case "click": try await browser.click(argument)
    case "type": try await browser.type(argument)
    case "wait": try await browser.wait(until: argument)
    case "evaluate": return try await browser.json(of: argument, within: .seconds(60))
    default: throw BrowserFailure("not a command: \(word)")
    }
    return "null"
  }
}

extension BrowserKind: ExpressibleByArgument {}
