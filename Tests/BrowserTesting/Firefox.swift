import Foundation
import ProcessTesting

/// Firefox, driven by Marionette.
package final class Firefox: Browser {
  private let process: BrowserProcess
  private let connection: RemoteConnection

  /// - Parameter environment: in addition to this process's.
  package init(environment: [String: String] = [:]) async throws {
    process = try BrowserProcess(environment: environment) { profile in
      try Self.preferences.write(
        to: profile.appendingPathComponent("user.js"), atomically: true, encoding: .utf8)
      // Privileged scripts set the size of the page.
      return [
        "firefox-esr", "--headless", "--no-remote", "--marionette", "--remote-allow-system-access",
        "--profile", profile.path, "about:blank",
      ]
    }
    let socket = try Loopback.connect(to: try await Self.port(of: process))
    connection = RemoteConnection(.marionette, socket: socket) { _, _ in }
    try await connection.call("WebDriver:NewSession", ["capabilities": [:]])
    // The limits of the callers count.
    try await connection.call(
      "WebDriver:SetTimeouts", ["script": 3_600_000, "pageLoad": 60_000, "implicit": 0])
  }

  /// Nothing is fetched but the page, and its console is written to standard output.
  private static let preferences = """
    user_pref("marionette.port", 0);
    user_pref("browser.dom.window.dump.enabled", true);
    user_pref("devtools.console.stdout.content", true);
    user_pref("browser.shell.checkDefaultBrowser", false);
    user_pref("browser.startup.page", 0);
    user_pref("browser.safebrowsing.update.enabled", false);
    user_pref("datareporting.policy.dataSubmissionEnabled", false);
    user_pref("datareporting.healthreport.uploadEnabled", false);
    user_pref("toolkit.telemetry.enabled", false);
    user_pref("app.normandy.enabled", false);
    user_pref("app.update.disabledForTesting", true);
    user_pref("extensions.update.enabled", false);
    user_pref("extensions.getAddons.cache.enabled", false);
    user_pref("media.gmp-manager.updateEnabled", false);
    user_pref("network.captive-portal-service.enabled", false);
    user_pref("network.connectivity-service.enabled", false);
    user_pref("services.settings.server", "data:,#");

    """

  /// Returns the port that it listens at.
  private static func port(of process: BrowserProcess) async throws -> Int {
    let file = process.profile.appendingPathComponent("MarionetteActivePort")
    let end = ContinuousClock.now + .seconds(120)
    while true {
      if let text = try? String(contentsOf: file, encoding: .utf8), let port = Int(text) {
        return port
      }
      guard .now < end else {
        throw BrowserFailure("Firefox opens no port for Marionette: \(process.output)")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  package var messages: [String] {
    process.output.split(separator: "\n").map(String.init).filter { line in
      line.hasPrefix("console.")
        || line.hasPrefix("JavaScript ") && !line.contains("resource://")
          && !line.contains("chrome://")
    }
  }

  package func open(_ url: URL) async throws {
    try await connection.call("WebDriver:Navigate", ["url": .string(url.absoluteString)])
  }

  package func reload() async throws { try await connection.call("WebDriver:Refresh") }

  package func json(of expression: String, within limit: Duration) async throws -> String {
    let script = """
      const done = arguments[arguments.length - 1];
      (async () => JSON.stringify(await (\(expression)
      )) ?? "null")().then(value => done([true, value]), error => done([false, `${error}`]))
      """
    let reply = try await connection.call(
      "WebDriver:ExecuteAsyncScript",
      ["script": .string(script), "args": [], "sandbox": .null],
      within: limit)
    let text = reply["value"][1].string ?? "null"
    guard reply["value"][0] == true else { throw BrowserFailure(text) }
    return text
  }

  package func click(x: Double, y: Double) async throws {
    try await perform([
      "type": "pointer", "id": "mouse", "parameters": ["pointerType": "mouse"],
      "actions": [
        ["type": "pointerMove", "x": .number(x.rounded()), "y": .number(y.rounded())],
        ["type": "pointerDown", "button": 0], ["type": "pointerUp", "button": 0],
      ],
    ])
  }

  package func press(_ key: Key, holding modifiers: [Key]) async throws {
    let keys = modifiers + [key]
    let events = keys.map { ("keyDown", $0) } + keys.reversed().map { ("keyUp", $0) }
    try await perform([
      "type": "key", "id": "keyboard",
      "actions": .array(
        events.map { ["type": .string($0.0), "value": .string($0.1.webDriver)] }),
    ])
  }

  private func perform(_ actions: JSON) async throws {
    try await connection.call("WebDriver:PerformActions", ["actions": [actions]])
  }

  package func setFiles(_ selector: String, _ files: [URL]) async throws {
    let found = try await connection.call(
      "WebDriver:FindElement", ["using": "css selector", "value": .string(selector)])
    guard case .object(let reference) = found["value"], let id = reference.values.first else {
      throw BrowserFailure("no \(selector)")
    }
    try await connection.call(
      "WebDriver:ElementSendKeys",
      ["id": id, "text": .string(files.map(\.path).joined(separator: "\n"))])
  }

  /// A window can't be as narrow as a phone, so that the page's part of it is set.
  package func setSize(width: Int, height: Int) async throws {
    try await connection.call(
      "WebDriver:SetWindowRect",
      ["width": .number(Double(max(width, 500))), "height": .number(Double(height + 200))])
    try await connection.call("Marionette:SetContext", ["value": "chrome"])
    try await connection.call(
      "WebDriver:ExecuteScript",
      [
        "script": """
        const style = gBrowser.selectedBrowser.style
        style.minWidth = style.maxWidth = arguments[0] + "px"
        style.minHeight = style.maxHeight = arguments[1] + "px"
        """,
        "args": [.number(Double(width)), .number(Double(height))], "sandbox": "system",
      ])
    try await connection.call("Marionette:SetContext", ["value": "content"])
    try await wait(until: "innerWidth === \(width) && innerHeight === \(height)")
  }

  package func screenshot() async throws -> Data {
    let picture = try await connection.call(
      "WebDriver:TakeScreenshot", ["full": false, "hash": false])
    return Data(base64Encoded: picture["value"].string ?? "") ?? Data()
  }
}
