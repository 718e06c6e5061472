import Foundation
import ProcessTesting
import Synchronization

/// Chromium, driven by the DevTools protocol in a pipe.
package final class Chromium: Browser {
  private struct State {
    var messages: [String] = []
    /// The documents that have loaded, by their loaders' numbers.
    var loaded: Set<String> = []
  }

  private let process: BrowserProcess
  private let connection: RemoteConnection
  private let session: String
  private let state: SharedState<State>

  package var messages: [String] { state.value.withLock { $0.messages } }

  /// - Parameters:
  ///   - environment: in addition to this process's.
  ///   - namespace: the network namespace in which it runs.
  ///   - acceptsCertificates: whether its user has accepted every certificate.
  package init(
    environment: [String: String] = [:], in namespace: String? = nil,
    acceptsCertificates: Bool = false
  ) async throws {
    // Chromium reads requests from descriptor 3 and writes replies to 4. A write to a socket, unlike one to a pipe, raises
    // no signal when it has ended.
    var ends: [CInt] = [0, 0]
    guard
      socketpair(
        AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else { throw BrowserFailure("socketpair: errno \(errno)") }
    let state = SharedState(State())
    connection = RemoteConnection(.devTools, socket: ends[0]) { name, parameters in
      state.value.withLock { Self.take(name, parameters, &$0) }
    }
    defer { close(ends[1]) }
    process = try BrowserProcess(
      environment: environment, descriptors: [ends[1], ends[1]]
    ) { profile in
      (namespace.map { ["ip", "netns", "exec", $0] } ?? []) + Self.arguments(profile)
        + (acceptsCertificates ? ["--ignore-certificate-errors"] : [])
    }
    self.state = state
    let target = try await connection.call("Target.createTarget", ["url": "about:blank"])
    let attached = try await connection.call(
      "Target.attachToTarget", ["targetId": target["targetId"], "flatten": true])
    session = attached["sessionId"].string ?? ""
    for domain in ["Page", "Runtime", "Log"] { try await call("\(domain).enable") }
    try await call("Page.setLifecycleEventsEnabled", ["enabled": true])
  }

  private static func arguments(_ profile: URL) -> [String] {
    let root = geteuid() == 0 ? ["--no-sandbox"] : []
    return [
      "chromium", "--headless", "--remote-debugging-pipe", "--user-data-dir=\(profile.path)",
      "--no-first-run", "--disable-dev-shm-usage", "--disable-background-networking",
      "--disable-component-update", "--disable-default-apps", "--disable-sync",
      "--password-store=basic", "--window-size=1280,720",
    ] + root
  }

  private static func take(_ name: String, _ parameters: JSON, _ state: inout State) {
    switch name {
    case "Page.lifecycleEvent" where parameters["name"] == "load":
      if let loader = parameters["loaderId"].string { state.loaded.insert(loader) }
    case "Runtime.consoleAPICalled":
      let words = parameters["args"].items.map { value in
        value["value"].string ?? value["description"].string ?? "\(value["value"])"
      }
      let kind = parameters["type"].string ?? ""
      state.messages.append("\(kind): \(words.joined(separator: " "))")
    case "Runtime.exceptionThrown":
      let details = parameters["exceptionDetails"]
      state.messages.append(
        "exception: \(details["exception"]["description"].string ?? details["text"].string ?? "")")
    case "Log.entryAdded":
      let entry = parameters["entry"]
      state.messages.append("\(entry["level"].string ?? ""): \(entry["text"].string ?? "")")
    default: break
    }
  }

  @discardableResult
  private func call(
    _ name: String, _ parameters: JSON = [:], within limit: Duration = .seconds(60)
  ) async throws -> JSON {
    try await connection.call(name, parameters, session: session, within: limit)
  }

  package func open(_ url: URL) async throws {
    let navigation = try await call("Page.navigate", ["url": .string(url.absoluteString)])
    if let error = navigation["errorText"].string { throw BrowserFailure("\(url): \(error)") }
    // A mere change of the fragment loads nothing.
    guard let loader = navigation["loaderId"].string else { return }
    try await loaded { $0.contains(loader) }
  }

  package func reload() async throws {
    let before = state.value.withLock { $0.loaded }
    try await call("Page.reload")
    try await loaded { !$0.isSubset(of: before) }
  }

  private func loaded(_ isSo: (Set<String>) -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while !state.value.withLock({ isSo($0.loaded) }) {
      guard .now < end else { throw BrowserFailure("the page doesn't load") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  package func json(of expression: String, within limit: Duration) async throws -> String {
    let result = try await value(
      "(async () => JSON.stringify(await (\(expression)\n)) ?? 'null')()", byValue: true,
      within: limit)
    return result["value"].string ?? "null"
  }

  private func value(
    _ expression: String, byValue: Bool, within limit: Duration = .seconds(60)
  ) async throws -> JSON {
    let reply = try await call(
      "Runtime.evaluate",
      [
        "expression": .string(expression), "awaitPromise": true, "returnByValue": .bool(byValue),
      ], within: limit)
    if let error = reply["exceptionDetails"]["exception"]["description"].string
      ?? reply["exceptionDetails"]["text"].string
    {
      throw BrowserFailure(error)
    }
    return reply["result"]
  }

  package func click(x: Double, y: Double) async throws {
    for kind: JSON in ["mouseMoved", "mousePressed", "mouseReleased"] {
      let button: [String: JSON] = kind == "mouseMoved" ? [:] : ["button": "left", "clickCount": 1]
      let event: [String: JSON] = ["type": kind, "x": .number(x), "y": .number(y)]
      try await call("Input.dispatchMouseEvent", .object(event.merging(button) { $1 }))
    }
  }

  package func press(_ key: Key, holding modifiers: [Key]) async throws {
    let held = JSON.number(Double(modifiers.reduce(0) { $0 | $1.modifier }))
    for modifier in modifiers { try await dispatch("rawKeyDown", modifier, held) }
    // With Control or Alt, a key enters no text.
    let enters = key.text != nil && modifiers.allSatisfy { $0.name == "Shift" }
    try await dispatch(enters ? "keyDown" : "rawKeyDown", key, held)
    try await dispatch("keyUp", key, held)
    for modifier in modifiers.reversed() { try await dispatch("keyUp", modifier, 0) }
  }

  private func dispatch(_ kind: JSON, _ key: Key, _ modifiers: JSON) async throws {
    var event: [String: JSON] = [
      "type": kind, "key": .string(key.name), "modifiers": modifiers,
    ]
    event["windowsVirtualKeyCode"] = key.windowsCode.map { .number(Double($0)) }
    if kind == "keyDown" { event["text"] = key.text.map { .string($0) } }
    try await call("Input.dispatchKeyEvent", .object(event))
  }

  package func setFiles(_ selector: String, _ files: [URL]) async throws {
    let element = try await value("document.querySelector(\(quoted(selector)))", byValue: false)
    guard element["objectId"].string != nil else { throw BrowserFailure("no \(selector)") }
    try await call(
      "DOM.setFileInputFiles",
      ["objectId": element["objectId"], "files": .array(files.map { .string($0.path) })])
  }

  package func setSize(width: Int, height: Int) async throws {
    try await call(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .number(Double(width)), "height": .number(Double(height)),
        "deviceScaleFactor": 1, "mobile": false,
      ])
  }

  package func screenshot() async throws -> Data {
    let picture = try await call("Page.captureScreenshot")
    return Data(base64Encoded: picture["data"].string ?? "") ?? Data()
  }
}

/// A guarded value that a connection's thread and a browser share.
final class SharedState<Value: Sendable>: Sendable {
  let value: Mutex<Value>

  init(_ value: Value) { self.value = Mutex(value) }
}
