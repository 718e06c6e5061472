extension String {
  /// A URL's host without the brackets around an IPv6 address.
  var bareHost: String { hasPrefix("[") ? String(dropFirst().dropLast()) : self }

  /// A host in the form for URLs: an IPv6 address in brackets.
  var urlHost: String { contains(":") ? "[\(self)]" : self }
}
