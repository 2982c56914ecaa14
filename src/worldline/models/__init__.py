"""Access to models: tokenizers, codecs, engines and predictions."""
