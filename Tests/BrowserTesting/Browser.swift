import Foundation

/// A real browser without a window, with one page, driven as a user and a page's own script would.
///
/// It ends, and its profile is removed, with this value.
package protocol Browser: AnyObject, Sendable {
  /// Messages that the page wrote to its console, and exceptions that nothing caught.
  var messages: [String] { get }
  /// Opens a page, and waits until it has loaded.
  func open(_ url: URL) async throws
  /// Loads the page again, and waits until it has loaded.
  func reload() async throws
  /// Evaluates an expression in the page and waits for it, if it is a promise.
  ///
  /// - Parameter limit: decides only how long a failure takes.
  /// - Returns: its value as JSON text.
  func json(of expression: String, within limit: Duration) async throws -> String
  /// Presses and releases the mouse's first button, in CSS pixels from the upper left corner of the page's visible part.
  func click(x: Double, y: Double) async throws
  /// Presses and releases a key while modifiers are held.
  func press(_ key: Key, holding modifiers: [Key]) async throws
  /// Chooses files in the `input` element that a selector finds.
  func setFiles(_ selector: String, _ files: [URL]) async throws
  /// Sets the size of the page's visible part in CSS pixels.
  func setSize(width: Int, height: Int) async throws
  /// Returns a picture of the page's visible part as PNG.
  func screenshot() async throws -> Data
}

extension Browser {
  /// Evaluates an expression in the page and waits for it, if it is a promise.
  ///
  /// In Firefox it doesn't see `const` and `let` of the page's scripts, and assignments must name `window`.
  ///
  /// - Throws: ``BrowserFailure`` with the page's exception.
  package func evaluate<Value: Decodable>(
    _ expression: String, as type: Value.Type = Value.self
  ) async throws -> Value {
    let text = try await json(of: expression, within: .seconds(60))
    do {
      return try JSONDecoder().decode(type, from: Data(text.utf8))
    } catch {
      throw BrowserFailure("\(expression) is \(text), not \(type)")
    }
  }

  /// Runs statements in the page.
  package func run(_ statements: String) async throws {
    _ = try await json(of: "(async () => { \(statements)\n })()", within: .seconds(60))
  }

  /// Waits until an expression, or the promise that it returns, is true in the page.
  ///
  /// - Parameter limit: decides only how long a failure takes.
  /// - Throws: ``BrowserFailure`` with the expression's last value and the page's messages.
  package func wait(until expression: String, within limit: Duration = .seconds(60)) async throws {
    let milliseconds = limit / .milliseconds(1)
    let last = try await json(
      of: """
        (async () => {
          const end = performance.now() + \(milliseconds)
          for (;;) {
            const isLast = performance.now() >= end
            let value
            try { value = await (\(expression)
            ) } catch (error) { if (isLast) return `${error}` }
            if (value) return null
            if (isLast) return `${value}`
            await new Promise(done => setTimeout(done, 20))
          }
        })()
        """, within: limit + .seconds(60))
    guard last == "null" else {
      throw BrowserFailure(
        "not in \(limit): \(expression), but \(last); the page said: \(messages)")
    }
  }

  /// Clicks on the middle of the element that a selector finds, as a user's gesture.
  ///
  /// - Throws: ``BrowserFailure`` if there is no such element, or another one covers it.
  package func click(_ selector: String) async throws {
    let point: [Double] = try await evaluate(
      """
      (() => {
        const element = document.querySelector(\(quoted(selector)))
        if (!element) throw Error("no element")
        element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" })
        const box = element.getBoundingClientRect()
        const x = box.x + box.width / 2, y = box.y + box.height / 2
        const hit = document.elementFromPoint(x, y)
        if (!element.contains(hit)) throw Error(`covered by ${hit?.outerHTML.slice(0, 200)}`)
        return [x, y]
      })()
      """)
    try await click(x: point[0], y: point[1])
  }

  /// Presses and releases a key.
  package func press(_ key: Key) async throws { try await press(key, holding: []) }

  /// Types characters into the element that has the focus.
  package func type(_ text: String) async throws {
    for character in text { try await press(Key(character), holding: []) }
  }

  /// Chooses a file in the `input` element that a selector finds.
  package func setFile(_ selector: String, _ file: URL) async throws {
    try await setFiles(selector, [file])
  }

  /// Returns a literal of JavaScript.
  func quoted(_ text: String) -> String {
    String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
  }
}
